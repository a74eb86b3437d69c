ubiheap census --filter "no such name" tiny-before.fxsnapshot
