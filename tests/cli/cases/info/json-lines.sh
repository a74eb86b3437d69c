# lines that we wrote are called by their name, plain, packed and from a pipe
ubiheap convert -f jsonl two.fxsnapshot two.jsonl > /dev/null
ubiheap convert -f jsonl two.fxsnapshot two.jsonl.gz > /dev/null
for command in info census report; do
    ubiheap $command two.jsonl; echo "status $?"
done
ubiheap info two.jsonl.gz; echo "status $?"
cat two.jsonl | ubiheap info -; echo "status $?"
