ubiheap convert --anonymize-key nowhere tiny-before.fxsnapshot copy.fxsnapshot
