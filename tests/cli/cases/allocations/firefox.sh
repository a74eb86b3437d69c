ubiheap allocations --limit 3 --callers 1 tiny-after.fxsnapshot
