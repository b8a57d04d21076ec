package dev.nodepath.agent.routes;

import dev.nodepath.linux.namespace.NetworkNamespace;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/** A namespace that counts the calls by method. */
final class CountingNamespace {
    private final NetworkNamespace namespace;
    private final Map<String, Integer> calls = new ConcurrentHashMap<>();

    CountingNamespace(NetworkNamespace counted) {
        namespace = (NetworkNamespace) Proxy.newProxyInstance(
                CountingNamespace.class.getClassLoader(),
                new Class<?>[] {NetworkNamespace.class},
                (proxy, method, arguments) -> {
                    calls.merge(method.getName(), 1, Integer::sum);
                    try {
                        return method.invoke(counted, arguments);
                    } catch (InvocationTargetException e) {
                        throw Objects.requireNonNull(e.getCause());
                    }
                });
    }

    NetworkNamespace namespace() {
        return namespace;
    }

    /** How often a method was called since the last such question. */
    int takeCalls(String method) {
        Integer count = calls.remove(method);
        return count == null ? 0 : count;
    }
}
