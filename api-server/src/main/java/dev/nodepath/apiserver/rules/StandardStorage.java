package dev.nodepath.apiserver.rules;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.resource.Resources;

/** The StorageClass {@code standard} of a new cluster: each claim of it gets a folder of the cluster. */
public final class StandardStorage {
    /** The annotation of the default class. */
    public static final String DEFAULT = "storageclass.kubernetes.io/is-default-class";

    /** The name of the class's provisioner. */
    public static final String PROVISIONER = "nodepath.dev/folder";

    /** The folder of the volumes, for readers of a PersistentVolume. */
    public static final String FOLDER = "/run/nodepath/volumes";

    private StandardStorage() {}

    /** Creates it. Its folders are on every node, so claims are bound at once. */
    public static void create(ClusterApi api) {
        ObjectNode storage = JsonNodeFactory.instance.objectNode();
        storage.putObject("metadata")
                .put("name", "standard")
                .putObject("annotations")
                .put(DEFAULT, "true");
        storage.put("provisioner", PROVISIONER).put("reclaimPolicy", "Delete").put("volumeBindingMode", "Immediate");
        api.create(Resources.STORAGE_CLASSES, storage);
    }
}
