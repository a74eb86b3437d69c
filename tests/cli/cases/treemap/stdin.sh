ubiheap treemap --format text --depth 1 - < tiny-before.fxsnapshot
