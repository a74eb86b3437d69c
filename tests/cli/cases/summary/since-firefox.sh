ubiheap summary --since tiny-before.fxsnapshot node20-after.heapsnapshot.gz
