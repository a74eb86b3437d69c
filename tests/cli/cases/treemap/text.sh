ubiheap treemap --format text tiny-before.fxsnapshot
