// The thread that decodes images: what strangers upload is unpacked in none but this one.
import { answerJobs } from '@payments/threads'
import { rewritten } from './pixels.ts'

answerJobs(rewritten)
