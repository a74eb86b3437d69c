# More names than one line of a message holds.
mkdir many
name=many/a-name-of-a-file-that-is-much-longer-than-it-needs-to-be-to-tell-one-of-them-from-the-others
for i in 1 2 3 4 5 6; do cp leak-$i.heapsnapshot $name-$i.heapsnapshot; done
ubiheap leaks $name-6.heapsnapshot $(ls $name-[1-5].heapsnapshot)
