ubiheap nodes -c id,selfSize,rawSize,distance,className,displayName -s retainedSize -n 6 -f table node20-after.heapsnapshot.gz
ubiheap nodes -c id,distance,detachedness,name -w 'distance < 0 or detachedness == 2' -n 4 chromium-detached.heapsnapshot.gz
