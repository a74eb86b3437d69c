ubiheap timeline --rows 5 --top 1 killed.timeline; echo $?
