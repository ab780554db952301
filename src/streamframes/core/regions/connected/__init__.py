"""Connected regions: satisfied reports that touch each other in time or in space, with their outlines.

    neighbours -> union_find -> components (open, closed) -> shapes: cells, outline

Entry point: `search.ConnectedSearch`. Imported by `regions.group_search`, and by benchmarks.
"""
