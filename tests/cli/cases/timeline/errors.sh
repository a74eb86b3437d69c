ubiheap timeline --format text -o x small.timeline; echo $?
ubiheap timeline --json --format chrome small.timeline; echo $?
ubiheap timeline --from 2s --to 1s small.timeline; echo $?
ubiheap timeline --from soon small.timeline; echo $?
ubiheap timeline --where 'durration > 1' small.timeline; echo $?
ubiheap timeline --fail-on 'longest(' small.timeline; echo $?
ubiheap timeline tiny-before.fxsnapshot; echo $?
ubiheap timeline missing.timeline; echo $?
ubiheap timeline -o nowhere/x --json small.timeline; echo $?
ubiheap census small.timeline; echo $?
gzip -c small.timeline | ubiheap census -; echo $?
