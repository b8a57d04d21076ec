package dev.nodepath.endpoints.source.manifests;

import dev.nodepath.endpoints.source.objects.Problems;
import java.nio.file.Path;

/**
 * An object of a manifest that cannot be used, wholly or in part.
 *
 * @param kind as the object says; {@code Manifest} if it does not
 * @param place where it is
 * @param problems what is wrong with it
 */
record BadObject(String kind, Place place, Problems problems) {
    /** A file and one of its objects, which is named as in errors. */
    record Place(Path file, String object) {
        @Override
        public String toString() {
            return file + ": " + object;
        }
    }

    /** Where bad objects go. */
    interface Handler {
        /** An error to be thrown at the first one. */
        Handler STRICT = bad -> {
            throw new ManifestException(
                    bad.place().file(),
                    bad.place().object() + ": " + bad.problems().first());
        };

        /**
         * Takes one, whose usable rest is used.
         *
         * @throws ManifestException if it is a reason to give up
         */
        void handle(BadObject bad) throws ManifestException;
    }

    /** One that is described by an error. */
    static BadObject of(String kind, ManifestException e) {
        Problems problems = new Problems();
        problems.add(e.field(), e.problem());
        return new BadObject(kind, new Place(e.file(), e.object()), problems);
    }
}
