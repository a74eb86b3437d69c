ubiheap info two.fxsnapshot | grep -v '^Loaded\|^Memory'
