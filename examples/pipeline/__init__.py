"""From Kafka to a table of episodes: `python -m examples.pipeline` shows all of it on one machine."""
