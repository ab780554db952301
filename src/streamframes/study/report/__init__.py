"""Reports: what a study found as tables, claims and pictures, and the files and the page that show it.

`outcome.Outcome` holds it, `saving.save` and `page.write_page` write it. For studies, experiments and the command line.
"""
