"""The trace, read by Perfetto's own definitions."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from haribote.mlsdk import trace_scope
from tests.haribote.mlsdk.steps import context


def test_perfetto_reads_the_trace(tmp_path: Path) -> None:
    pb = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
    file = tmp_path / "trace.pb"
    with trace_scope(str(file)):
        compiled = context().compile(lambda given: {"y": given["x"] + 1}, {"x": torch.zeros(3)})
        for _ in range(2):
            compiled({"x": torch.ones(3)})["y"].cpu()
    trace = pb.Trace()
    trace.ParseFromString(file.read_bytes())
    tracks = {
        packet.track_descriptor.uuid: packet.track_descriptor
        for packet in trace.packet
        if packet.HasField("track_descriptor")
    }
    assert {track.name for track in tracks.values()} >= {"host", "device"}
    events = [packet for packet in trace.packet if packet.HasField("track_event")]
    assert [packet.timestamp for packet in events] == sorted(packet.timestamp for packet in events)
    begun = [packet.track_event for packet in events if packet.track_event.type == pb.TrackEvent.TYPE_SLICE_BEGIN]
    ended = [packet.track_event for packet in events if packet.track_event.type == pb.TrackEvent.TYPE_SLICE_END]
    assert len(begun) == len(ended) and all(event.track_uuid in tracks for event in (*begun, *ended))
    assert [event.name for event in begun] == ["trace", "compile", *["to device", "run", "to host"] * 2]
    run = next(event for event in begun if event.name == "run")
    assert tracks[run.track_uuid].name == "device"
    notes = {note.name: note.string_value or note.uint_value for note in run.debug_annotations}
    assert notes["operators"] == 1


def test_no_file_no_trace() -> None:
    with trace_scope(None):
        pass
