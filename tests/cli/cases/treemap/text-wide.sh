COLUMNS=140 ubiheap treemap --format text unreachable.fxsnapshot
