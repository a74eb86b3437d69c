ubiheap treemap --json --format svg two.fxsnapshot
