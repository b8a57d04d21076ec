package dev.nodepath.endpoints.source;

import java.nio.file.Path;

/**
 * An object of a manifest with problems.
 *
 * @param kind as the object says; {@code Manifest} if it does not
 * @param place its place in the manifests
 * @param problems its problems
 */
record BadObject(String kind, Place place, Problems problems) {
    /** A file, and the name of an object in it, as in errors. */
    record Place(Path file, String object) {
        @Override
        public String toString() {
            return file + ": " + object;
        }
    }

    /** Handles objects with problems. */
    interface Handler {
        /** Throws an error at the first object. */
        Handler STRICT = bad -> {
            throw new ManifestException(
                    bad.place().file(),
                    bad.place().object() + ": " + bad.problems().first());
        };

        /**
         * Takes an object. Its usable parts are used all the same.
         *
         * @throws ManifestException to stop reading
         */
        void handle(BadObject bad) throws ManifestException;
    }
}
