ubiheap control 1 results --output part.xyz; echo $?
for option in at from to; do ubiheap report --$option 1s sessions-3000.heapprofile; ubiheap allocations --$option 1s sessions-3000.heapprofile; done; echo $?
head -c 3000 server.ubirec > cut.ubirec
ubiheap export --format collapsed --no-symbols -o cut.folded cut.ubirec; echo $?
for file in server sampled growing; do
    COLUMNS=40 ubiheap report --no-symbols $file.ubirec | python3 -c 'import sys; print([line for line in sys.stdin if len(line) > 41 and "  ubiheap " not in line])'
done
COLUMNS=40 ubiheap report --no-symbols server.ubirec | sed -n '/^Not freed/,/^$/p'
