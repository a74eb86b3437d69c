ubiheap treemap --format text -b invertedAllocationStack --filter make tiny-before.fxsnapshot
