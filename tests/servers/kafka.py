"""A Kafka broker on this machine: one process in KRaft mode, from the jars of Maven Central, and Spark's connector."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyspark

from tests.cluster.servers import HOST, JAVA, free_port, kill, start, wait_for
from tests.servers.jars import jars

BROKER = "org.apache.kafka:kafka_2.13:3.9.1"
CLUSTER = "c3RyZWFtZnJhbWVzLXRlc3"
# Where a release of Spark has no connector in Maven Central yet, that of the release before runs.
_CONNECTOR = {"4.3.0": "4.2.0"}
_NEEDED = (
    "org.apache.spark:spark-token-provider-kafka-0-10_2.13:4.0.0",
    "org.apache.kafka:kafka-clients:3.9.1",
    "org.apache.commons:commons-pool2:2.12.1",
)


def connector() -> str:
    """What `spark.jars` must name so that this Spark reads and writes Kafka."""
    version = _CONNECTOR.get(pyspark.__version__, pyspark.__version__)
    found = jars(f"org.apache.spark:spark-sql-kafka-0-10_2.13:{version}", *_NEEDED, transitive=False)
    return ",".join(map(str, found))


def avro() -> str:
    """What `spark.jars` must name so that this Spark reads Avro; that of 4.1.1 runs on later ones too."""
    return str(jars("org.apache.spark:spark-avro_2.13:4.1.1", transitive=False)[0])


@contextmanager
def broker(folder: Path, port: int | None = None) -> Iterator[str]:
    """A broker whose topics lie in a folder; gives its address. The same folder and port again: the same topics."""
    folder.mkdir(parents=True, exist_ok=True)
    port, control, settings = port or free_port(), free_port(), folder / "server.properties"
    settings.write_text(_settings(folder, port, control))
    java = ["java", *JAVA.split(), "-Xmx512m", "-cp", os.pathsep.join(map(str, jars(BROKER)))]
    if not (folder / "topics").exists():
        command = [*java, "kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", str(settings)]
        subprocess.run(command, check=True, capture_output=True)
    server = start("kafka", [*java, "kafka.Kafka", str(settings)], folder, {})
    try:
        wait_for(port, server, folder / "kafka.log")
        yield f"{HOST}:{port}"
    finally:
        kill(server)


def _settings(folder: Path, port: int, control: int) -> str:
    return f"""process.roles=broker,controller
node.id=1
controller.quorum.voters=1@{HOST}:{control}
listeners=PLAINTEXT://{HOST}:{port},CONTROLLER://{HOST}:{control}
advertised.listeners=PLAINTEXT://{HOST}:{port}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
log.dirs={folder / "topics"}
num.partitions=2
offsets.topic.num.partitions=1
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
"""


def send(rows: Any, address: str, topic: str) -> None:
    """Write keys and values to a topic."""
    rows.write.format("kafka").option("kafka.bootstrap.servers", address).option("topic", topic).save()


def read(reader: Any, address: str, topic: str, **options: str) -> Any:
    """A reader, of a table or of a stream, of a topic from its beginning."""
    reader = reader.format("kafka").option("kafka.bootstrap.servers", address).option("subscribe", topic)
    return reader.option("startingOffsets", "earliest").options(**options)
