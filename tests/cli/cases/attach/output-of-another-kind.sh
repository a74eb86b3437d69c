echo mine > notes.txt; ubiheap attach firefox://localhost snapshot -o notes.txt; cat notes.txt
