"""Reads a trace of silas-export --format perfetto by Google's decoder, as trace_processor would, checks its rules, and
prints the tracks, and for each track its events in order: depth, time in ns, what."""
import sys

sys.path.insert(0, sys.argv[1])  # where protoc has put perfetto_pb2.py
import perfetto_pb2 as perfetto  # noqa: E402

trace = perfetto.Trace()
with open(sys.argv[2], "rb") as file:
    trace.ParseFromString(file.read())

CLEARED, NEEDS_STATE = 1, 2
sequences, tracks, stacks, last_time = {}, {}, {}, {}
begun, ended, lines = {}, {}, []


def unknown_fields(message):
    """Fields that perfetto.proto does not have would be mistakes."""
    kept = type(message)()
    kept.CopyFrom(message)
    kept.DiscardUnknownFields()
    return kept.ByteSize() != message.ByteSize()


assert not unknown_fields(trace), "unknown fields"
for packet in trace.packet:
    sequence = packet.trusted_packet_sequence_id
    assert sequence > 0
    assert sequence in sequences or packet.sequence_flags & CLEARED, "a sequence that has not begun"
    if packet.sequence_flags & CLEARED:
        assert sequence not in sequences, "cleared twice"
        sequences[sequence] = ({}, {}, {})
    if packet.HasField("interned_data"):
        data = packet.interned_data
        for known, new in zip(sequences[sequence], (data.event_names, data.event_categories, data.debug_annotation_names)):
            for entry in new:
                assert entry.iid > 0 and entry.iid not in known, "interned twice"
                known[entry.iid] = entry.name
    if packet.HasField("track_descriptor"):
        track = packet.track_descriptor
        assert track.uuid not in tracks, "an existing track"
        tracks[track.uuid] = track
        if track.uuid == 0:
            assert track.process_ordering == 1
        elif track.HasField("process"):
            print(f"process {track.process.pid} {track.process.process_name!r} order {track.sibling_order_rank}")
        elif track.HasField("thread"):
            assert track.parent_uuid in tracks
            print(f"thread {track.thread.pid}/{track.thread.tid} {track.thread.thread_name!r}")
        elif track.HasField("counter"):
            print(f"counter {track.name!r} unit {track.counter.unit}")
        else:
            print(f"track {track.name!r}")
    if not packet.HasField("track_event"):
        continue
    event, time = packet.track_event, packet.timestamp
    assert event.track_uuid in tracks
    assert time >= last_time.get(sequence, 0), "back in time"
    last_time[sequence] = time
    if event.type == perfetto.TrackEvent.TYPE_COUNTER:
        assert tracks[event.track_uuid].HasField("counter")
        lines.append(f"value {time} {event.counter_value}")
        continue
    assert packet.sequence_flags == NEEDS_STATE
    names, categories, annotations = sequences[sequence]
    stack = stacks.setdefault(event.track_uuid, [])
    if event.type == perfetto.TrackEvent.TYPE_SLICE_BEGIN:
        what = [names[event.name_iid], *(categories[c] for c in event.category_iids)]
        for a in event.debug_annotations:
            value = a.string_value if a.HasField("string_value") else a.uint_value
            what.append(f"{annotations[a.name_iid]}={value}")
        stack.append(what[0])
        lines.append(f"{tracks[event.track_uuid].thread.pid - 1} {len(stack)} {time} {' '.join(what)}")
        for flow in event.flow_ids:
            assert flow not in begun, "a flow begins twice"
            begun[flow] = time, what[0], event.track_uuid
    else:
        assert event.type == perfetto.TrackEvent.TYPE_SLICE_END and stack
        lines.append(f"{tracks[event.track_uuid].thread.pid - 1} {len(stack)} {time} end {stack.pop()}")
        for flow in event.terminating_flow_ids:
            assert flow not in ended, "a flow ends twice"
            ended[flow] = time, lines[-1].split(" end ")[1], event.track_uuid
assert not any(stacks.values()), "slices are open at the end"
assert set(begun) == set(ended) or "-" in sys.argv[2], "flows without an end or a begin"  # app-2.perfetto has some of the ranks
print("\n".join(lines))
for flow in sorted(set(begun) & set(ended)):
    (sent, sender, source), (received, receiver, target) = begun[flow], ended[flow]
    print(f"flow {tracks[source].thread.pid - 1} {sent} {sender} -> {tracks[target].thread.pid - 1} {received} {receiver}")
