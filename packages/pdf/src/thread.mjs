// The thread that makes documents: its own program, with fonts that are read and parsed once.
import { answerJobs } from '@payments/threads'
import { make } from './document.ts'

answerJobs(make)
