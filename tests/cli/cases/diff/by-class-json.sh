ubiheap diff --json --by class tiny-before.fxsnapshot tiny-after.fxsnapshot | cut -c 1-700
