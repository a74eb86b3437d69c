ubiheap allocations --timeline tiny-after.fxsnapshot
