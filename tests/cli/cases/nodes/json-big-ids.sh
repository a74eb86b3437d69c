ubiheap nodes --json -c id,rawSize big-ids.fxsnapshot; ubiheap nodes -c id,rawSize big-ids.fxsnapshot
