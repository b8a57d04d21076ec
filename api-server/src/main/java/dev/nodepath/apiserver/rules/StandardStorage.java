package dev.nodepath.apiserver.rules;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.resource.Resources;

/** The StorageClass {@code standard} of a new cluster: each claim of it gets a folder of the cluster. */
public final class StandardStorage {
    /** Of the annotation that makes a class the default one. */
    public static final String DEFAULT = "storageclass.kubernetes.io/is-default-class";

    /** Who makes volumes of the class. */
    public static final String PROVISIONER = "nodepath.dev/folder";

    /** Where the volumes are, for whoever reads a PersistentVolume. */
    public static final String FOLDER = "/run/nodepath/volumes";

    private StandardStorage() {}

    /** Creates it. A folder is on every node, so claims are bound at once. */
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
