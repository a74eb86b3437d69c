ubiheap summary --filter console tiny-before.fxsnapshot
