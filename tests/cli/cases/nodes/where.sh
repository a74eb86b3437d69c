ubiheap nodes -w 'className == "Array" and rawSize > 200B' -c id,className,rawSize tiny-before.fxsnapshot
