package sample;

import java.util.ArrayList;
import java.util.List;

/** Constructs that need class files of Java 8 or later. */
interface Modern {
    static int lambdas(int a) {
        List<Integer> list = new ArrayList<>();
        Runnable add = () -> list.add(a);
        add.run();
        add.run();
        return list.stream().mapToInt(i -> i).sum();
    }

    default String greet(String name) {
        return "hello " + name;
    }
}
