"""Parquet files, read without an engine: what a path stands for, what the footers say, and the rows.

listing   paths, folders, patterns, URIs    -> files, with the columns in their Hive folders
footers   files                             -> schemas and metadata, which `column_chunks` checks
row_groups  statistics in footers           -> row groups with the ranges of their instants
dataset   footers that agree                -> one schema
bounds    between what values lie, as far as folders, logs and statistics say
reader    row groups                        -> record batches in the types that Spark would carry
plain_columns   their columns that are numbers or texts, of local files, by Polars
"""

from streamframes.core.files.parquet.dataset import Dataset, open_dataset
from streamframes.core.files.parquet.footers import Footer, read_footers
from streamframes.core.files.parquet.listing import File, list_files
from streamframes.core.files.parquet.reader import RowGroupReader
from streamframes.core.files.parquet.row_groups import RowGroup
from streamframes.core.files.parquet.types import as_carried, carried

__all__ = [
    "Dataset",
    "File",
    "Footer",
    "RowGroup",
    "RowGroupReader",
    "as_carried",
    "carried",
    "list_files",
    "open_dataset",
    "read_footers",
]
