ubiheap treemap --format text --by count tiny-before.fxsnapshot
