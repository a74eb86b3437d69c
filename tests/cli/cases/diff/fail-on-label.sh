ubiheap diff --fail-on 'growth("Object") > 0 || growth("ArrayBuffer") > 60KiB' --by class -n 2 tiny-before.fxsnapshot tiny-after.fxsnapshot
