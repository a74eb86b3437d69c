# The words depend on the key and the text alone.
printf "the key of a test" > key
ubiheap convert --anonymize-key key -f jsonl tiny-before.fxsnapshot - | sed -n 501,504p
ubiheap convert --anonymize-key key tiny-before.fxsnapshot copy.fxsnapshot > /dev/null
ubiheap census -b invertedAllocationStack --depth 1 -n 3 copy.fxsnapshot
