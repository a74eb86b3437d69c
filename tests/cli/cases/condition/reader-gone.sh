ubiheap nodes --fail-on 'bytes > 0' tiny-before.fxsnapshot | head -n 1
