package dev.nodepath.apiserver.verbs;

import dev.nodepath.apiserver.ObjectSelector;
import dev.nodepath.apiserver.form.ObjectForm;
import dev.nodepath.apiserver.resource.Resource;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * A client's wishes for a watch.
 *
 * @param resource the kind
 * @param stored its stored form
 * @param namespace empty for all
 * @param selector chooses objects
 * @param form of the objects in the lines
 * @param since all changes after this version; empty to begin with all present objects
 * @param bookmarks whether lines with only a version are welcome
 * @param initialEnd whether a bookmark tells the end of the present objects
 * @param timeout after which the watch ends
 */
record WatchOptions(
        Resource resource,
        Resource stored,
        String namespace,
        ObjectSelector selector,
        ObjectForm form,
        OptionalLong since,
        boolean bookmarks,
        boolean initialEnd,
        Duration timeout) {}
