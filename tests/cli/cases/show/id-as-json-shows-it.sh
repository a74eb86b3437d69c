ubiheap show big-ids.fxsnapshot 9223372036854776000
