ubiheap dominators --json big-ids.fxsnapshot
