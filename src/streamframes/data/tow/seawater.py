"""Seawater: its density by the international equation of state of 1980 (EOS-80)."""

from __future__ import annotations

import numpy as np
from numpy.polynomial.polynomial import polyval

from streamframes.data.chance import Floats

# Coefficients by rising power of temperature, one line per power of salinity (0, 1, 3/2, 2).
_SURFACE = (
    (999.842594, 6.793952e-2, -9.095290e-3, 1.001685e-4, -1.120083e-6, 6.536332e-9),
    (8.24493e-1, -4.0899e-3, 7.6438e-5, -8.2467e-7, 5.3875e-9),
    (-5.72466e-3, 1.0227e-4, -1.6546e-6),
    (4.8314e-4,),
)
# The secant bulk modulus: terms without pressure, with pressure, with its square.
_STIFFNESS = (
    ((19652.21, 148.4206, -2.327105, 1.360477e-2, -5.155288e-5),
     (54.6746, -0.603459, 1.09987e-2, -6.1670e-5),
     (7.944e-2, 1.6483e-2, -5.3009e-4)),
    ((3.239908, 1.43713e-3, 1.16092e-4, -5.77905e-7),
     (2.2838e-3, -1.0981e-5, -1.6078e-6),
     (1.91075e-4,)),
    ((8.50935e-5, -6.12293e-6, 5.2787e-8),
     (-9.9348e-7, 2.0816e-8, 9.1697e-10)),
)  # fmt: skip


def density(salinity: Floats, temperature: Floats, pressure: Floats) -> Floats:
    """In-situ density of seawater in kg/m³.

    Parameters
    ----------
    salinity
        Practical salinity (PSS-78), 0 to 42.
    temperature
        Degrees Celsius (IPTS-68), -2 to 40.
    pressure
        Decibar above the atmosphere, 0 to 10,000.

    Examples
    --------
    The report gives 1069.48914 at salinity 35, 5 degrees and 1,000 bar:

    >>> round(float(density(np.array(35.0), np.array(5.0), np.array(10_000.0))), 5)
    1069.48914

    References
    ----------
    Fofonoff and Millard, Algorithms for computation of fundamental properties of seawater, UNESCO Technical
    Papers in Marine Science 44, 1983, section 3 (check values on page 19).
    """
    root = salinity**0.5
    bar = pressure / 10
    stiffness = _mix(_STIFFNESS[2], salinity, temperature, root)
    for terms in _STIFFNESS[1::-1]:
        stiffness = stiffness * bar + _mix(terms, salinity, temperature, root)
    return _mix(_SURFACE, salinity, temperature, root) / (1 - bar / stiffness)


def surface_density(salinity: str, temperature: str) -> str:
    """SQL for the density that water would have at the surface, in kg/m³.

    Water keeps it wherever it goes, because pressure takes no part in it.

    Parameters
    ----------
    salinity, temperature
        SQL, in the units of `density`.

    Examples
    --------
    >>> surface_density("s", "t")[:63]
    '((999.842594 + t*(0.06793952 + t*(-0.00909529 + t*(0.0001001685'
    """
    weights = ("", f"{salinity}*", f"power({salinity}, 1.5)*", f"{salinity}*{salinity}*")
    terms = (
        weight + _nested(coefficients, temperature) for weight, coefficients in zip(weights, _SURFACE, strict=True)
    )
    return f"({' + '.join(terms)})"


def pressure_at(depth_m: Floats) -> Floats:
    """Pressure in decibar at a depth in metres, for a column of 1,025 kg/m³ under 9.806 m/s².

    Parameters
    ----------
    depth_m
        Metres below the surface.

    Examples
    --------
    >>> pressure_at(np.array(100.0)).round(2)
    np.float64(100.51)
    """
    return depth_m * (1025 * 9.806 / 1e4)


def _nested(coefficients: tuple[float, ...], variable: str) -> str:
    """A polynomial in the form of Horner: a + x*(b + x*(c))."""
    inner = f" + {variable}*{_nested(coefficients[1:], variable)}" if len(coefficients) > 1 else ""
    return f"({coefficients[0]!r}{inner})"


def _mix(terms: tuple[tuple[float, ...], ...], salinity: Floats, temperature: Floats, root: Floats) -> Floats:
    """Sum the polynomials in temperature, weighted by salinity to the power 0, 1, 3/2, 2."""
    weights = (1.0, salinity, salinity * root, salinity * salinity)
    total = polyval(temperature, terms[0])
    for weight, coefficients in zip(weights[1:], terms[1:], strict=False):
        total = total + weight * polyval(temperature, coefficients)
    return np.asarray(total, np.float64)
