# Below the first level Firefox's numbers are no shares, and it has no row for a function that also calls others.
ubiheap census --compat firefox -b invertedAllocationStack -n 4 -d 4 tiny-before.fxsnapshot
