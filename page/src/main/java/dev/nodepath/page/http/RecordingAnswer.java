package dev.nodepath.page.http;

import dev.nodepath.page.Recording;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The recording as an answer. Readers that ask at the same time get the same answer, so that many cost no more than
 * one.
 */
final class RecordingAnswer {
    private static final Duration AGE_MAX = Duration.ofSeconds(1);

    private final Supplier<Recording> recording;
    private Optional<PageAnswer> answer = Optional.empty();
    private long readAt;

    RecordingAnswer(Supplier<Recording> recording) {
        this.recording = recording;
    }

    /** Call it on one thread only. */
    PageAnswer read() {
        long now = System.nanoTime();
        if (answer.isEmpty() || now - readAt > AGE_MAX.toNanos()) {
            answer = Optional.of(PageAnswer.jsonLines(recording.get().text()));
            readAt = now;
        }
        return answer.get();
    }
}
