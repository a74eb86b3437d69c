ubiheap convert tiny-before.fxsnapshot copy.fxsnapshot | sed "s/, [0-9.]* KiB (/, SIZE (/"
ubiheap convert -c none tiny-before.fxsnapshot copy.fxsnapshot
ubiheap info copy.fxsnapshot | head -n 9
