package dev.nodepath.apiserver.rules;

import java.util.OptionalLong;
import java.util.Random;
import java.util.function.LongPredicate;

/**
 * Numbers to allocate. The lowest are reserved for clients that ask for a number, until all others are taken.
 *
 * @param size the numbers are from 0 up to this, exclusive
 * @param reserved how many of the lowest are reserved
 */
record Band(long size, long reserved) {
    /** A sixteenth of the addresses is reserved, at least 16 and at most 256, as in Kubernetes. */
    static Band ofAddresses(long size) {
        return of(size, Math.min(Math.max(16, size / 16), 256));
    }

    /** A thirty-second of the ports is reserved, at least 16 and at most 128. */
    static Band ofPorts(long size) {
        return of(size, Math.min(Math.max(16, size / 32), 128));
    }

    private static Band of(long size, long reserved) {
        return new Band(size, size <= reserved ? 0 : reserved);
    }

    /**
     * A random free number.
     *
     * @param used an upper bound of the taken numbers; bounds the search
     */
    OptionalLong pick(Random random, long used, LongPredicate taken) {
        OptionalLong upper = pick(random, reserved, size - reserved, used, taken);
        return upper.isPresent() ? upper : pick(random, 0, reserved, used, taken);
    }

    /** Among one number more than there are taken ones, one is free. */
    private static OptionalLong pick(Random random, long first, long count, long used, LongPredicate taken) {
        if (count <= 0) {
            return OptionalLong.empty();
        }
        long start = Math.floorMod(random.nextLong(), count);
        for (long i = 0; i < count && i <= used; i++) {
            long number = first + (start + i) % count;
            if (!taken.test(number)) {
                return OptionalLong.of(number);
            }
        }
        return OptionalLong.empty();
    }
}
