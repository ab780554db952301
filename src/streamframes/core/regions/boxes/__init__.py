"""Boxes: maximal regions of places in a plane that satisfy the condition over a span of time.

Entry point: `search.BoxSearch`; `kernel` is its compiled walk, `imputations` counts imputed reports. Imported by
`regions.group_search`.
"""
