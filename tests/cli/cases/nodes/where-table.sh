ubiheap nodes -f table -w 'className startswith "HTML" and retainedSize > 1KB' -s retainedSize -n 4 -c id,className,rawSize,retainedSize,dominator tiny-before.fxsnapshot
