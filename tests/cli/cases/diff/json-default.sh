ubiheap diff --json two.fxsnapshot big-ids.fxsnapshot
