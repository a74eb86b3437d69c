ubiheap nodes --json --format csv tiny-before.fxsnapshot
