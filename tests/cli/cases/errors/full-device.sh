ubiheap info tiny-before.fxsnapshot > /dev/full
