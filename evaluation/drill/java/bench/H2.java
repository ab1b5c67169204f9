package bench;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;

/** H2, a database in memory: orders are inserted, joined, grouped, changed and deleted. */
final class H2 implements Workload {
    private static final int CUSTOMERS = 100;
    private static final int ORDERS = 1500;
    private final Connection connection;

    H2() throws Exception {
        connection = DriverManager.getConnection("jdbc:h2:mem:");
    }

    @Override
    public long turn() throws Exception {
        try (Statement statement = connection.createStatement()) {
            statement.execute("create table customer(id int primary key, name varchar(40))");
            statement.execute("create table ordered(id int primary key, customer int, amount decimal(10, 2), note varchar(60))");
            statement.execute("create index by_customer on ordered(customer)");
            fill();
            long value = ask("select c.name, count(*), sum(o.amount) from customer c join ordered o on o.customer = c.id"
                    + " where o.note like '%7%' group by c.name order by 3 desc, 1");
            value = 31 * value + statement.executeUpdate("update ordered set amount = amount * 1.1 where customer < 50");
            value = 31 * value + ask("select customer, max(amount), min(note), 0 from ordered group by customer having count(*) > 3 order by 1");
            value = 31 * value + statement.executeUpdate("delete from ordered where mod(id, 3) = 0");
            value = 31 * value + ask("select a.name, a.id, (select count(*) from ordered o where o.customer = a.id) from customer a order by 3, 2");
            statement.execute("drop all objects");
            return value;
        }
    }

    private void fill() throws Exception {
        try (PreparedStatement insert = connection.prepareStatement("insert into customer values(?, ?)")) {
            for (int id = 0; id < CUSTOMERS; id++) {
                insert.setInt(1, id);
                insert.setString(2, "customer " + id * 7919 % CUSTOMERS);
                insert.executeUpdate();
            }
        }
        try (PreparedStatement insert = connection.prepareStatement("insert into ordered values(?, ?, ?, ?)")) {
            for (int id = 0; id < ORDERS; id++) {
                insert.setInt(1, id);
                insert.setInt(2, id * 31 % CUSTOMERS);
                insert.setBigDecimal(3, java.math.BigDecimal.valueOf(id * 1237L % 100_000, 2));
                insert.setString(4, "note " + id * 104_729L % 10_007);
                insert.executeUpdate();
            }
        }
    }

    private long ask(String query) throws Exception {
        long value = 0;
        try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                value = 31 * value + rows.getString(1).hashCode() + rows.getString(3).hashCode();
            }
        }
        return value;
    }
}
