"""Decoding: rows of a topic, whose values are bytes, become rows with columns; values that cannot are kept aside.

Entry point: `decode.decode`. A format says what a value is and what is wrong with it, in columns: `json_values`,
`avro_values`. Imported by `streamframes.api`.
"""
