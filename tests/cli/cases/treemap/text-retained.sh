ubiheap treemap --format text --by retained tiny-before.fxsnapshot
