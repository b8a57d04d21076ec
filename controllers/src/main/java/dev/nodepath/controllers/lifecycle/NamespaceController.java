package dev.nodepath.controllers.lifecycle;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ChangeEvent;
import dev.nodepath.controllers.object.Controller;
import dev.nodepath.controllers.object.KeyQueue;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.Trigger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Gives each Namespace its ServiceAccount {@code default} and its ConfigMap {@code kube-root-ca.crt}. A deleted
 * Namespace is emptied before it goes.
 */
public final class NamespaceController implements Controller {
    private static final String ACCOUNT = "default";
    private static final String CERTIFICATE = "kube-root-ca.crt";

    private final ClusterApi api;
    private final String rootCertificate;

    /**
     * A controller.
     *
     * @param rootCertificate of the API server, in PEM
     */
    public NamespaceController(ClusterApi api, String rootCertificate) {
        this.api = api;
        this.rootCertificate = rootCertificate;
    }

    @Override
    public String name() {
        return "namespace";
    }

    @Override
    public List<Trigger> triggers() {
        List<Trigger> triggers = new ArrayList<>();
        triggers.add(Trigger.each(Resources.NAMESPACES));
        Resources.all().stream()
                .filter(resource -> Resources.stored(resource).equals(resource))
                .forEach(resource -> trigger(resource).ifPresent(triggers::add));
        return triggers;
    }

    @Override
    public Optional<Trigger> trigger(Resource resource) {
        return resource.namespaced()
                ? Optional.of(new Trigger(
                        resource,
                        event -> event.type() == ChangeEvent.Type.DELETED
                                ? List.of(new ObjectKey("", event.key().namespace()))
                                : List.of()))
                : Optional.empty();
    }

    @Override
    public void reconcile(ObjectKey key, KeyQueue queue) {
        Optional<ObjectNode> namespace = api.find(Resources.NAMESPACES, key);
        if (namespace.isEmpty()) {
            return;
        }
        if (!Meta.isTerminating(namespace.get())) {
            furnish(key.name());
        } else if (empty(key.name())) {
            api.modify(Resources.NAMESPACES, key, "finalize", copy -> {
                copy.withObjectProperty("spec").putArray("finalizers");
                return copy;
            });
        }
    }

    private void furnish(String namespace) {
        if (api.find(Resources.SERVICE_ACCOUNTS, new ObjectKey(namespace, ACCOUNT))
                .isEmpty()) {
            api.create(Resources.SERVICE_ACCOUNTS, object(namespace, ACCOUNT));
        }
        if (api.find(Resources.CONFIG_MAPS, new ObjectKey(namespace, CERTIFICATE))
                .isEmpty()) {
            ObjectNode map = object(namespace, CERTIFICATE);
            map.putObject("data").put("ca.crt", rootCertificate);
            api.create(Resources.CONFIG_MAPS, map);
        }
    }

    private static ObjectNode object(String namespace, String name) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.putObject("metadata").put("name", name).put("namespace", namespace);
        return object;
    }

    /** Deletes all objects in a namespace; returns whether none is left. */
    private boolean empty(String namespace) {
        boolean empty = true;
        for (Resource resource : api.kinds().stored()) {
            if (!resource.namespaced()) {
                continue;
            }
            for (ObjectNode object : api.list(resource, namespace).objects()) {
                if (!Meta.isTerminating(object)) {
                    api.delete(resource, ObjectKey.of(object), Deletion.DEFAULT);
                }
                empty &= api.find(resource, ObjectKey.of(object)).isEmpty();
            }
        }
        return empty;
    }
}
